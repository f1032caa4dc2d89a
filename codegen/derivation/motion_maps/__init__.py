"""How the speeds of a mechanism move the joints of its tree, and what forces on these joints are on the speeds.

motion_map     what kernels ask of any such map
joints         ball joints, mimics, and joints with coordinates of their own; joint_tree, leaning, ball_steps
constrained    loops, contacts, prescribed joints, chosen speeds
equations      their equations of position and velocity
plan           which equations count, and in which order they are solved, by numbers; elimination solves them in formulas
margins        how far a state is from where the speeds determine nothing
chart          coordinates near a state of ball joints, on which equations are written; quaternions carries kernels off it
spanning_tree  the tree, without what ties it together
report, sizes  names, rank, redundancy; reactions that are not unique
"""
