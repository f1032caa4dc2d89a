"""What resists the joints of a tree, beside its inertia and weight.

on_tree        all of it, in a motion of the tree
elastic        springs and dampers, on joints and between points
displacements  the vector from one end of a spring to the other, without cancellation where they nearly meet
separation     springs whose ends can meet, or have no direction there
friction       damping and Coulomb friction of joints
"""
