"""The dynamics of a tree by recursions over its bodies: quantities in a graph, whatever kernels are made of them."""
