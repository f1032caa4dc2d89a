"""How the speeds of a mechanism move the joints of its tree, and what forces on these joints are on the speeds.

motion_map    what kernels ask of any such map
joints        ball joints, mimics, and joints with coordinates of their own
constrained   loops, contacts, prescribed joints, chosen speeds
"""
