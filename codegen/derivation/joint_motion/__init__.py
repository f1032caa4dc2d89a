"""Joints whose coordinates are not those of the tree: balls, mimics; and what resists the joints: springs, friction.

tree          the tree of simple joints that a mechanism's joints stand for
coordinates   q, v, a  ->  motion of the tree's joints; forces on these  ->  tau
resistance    springs, dampers and friction on the tree's joints
setting       one kernel in the making
kernels       the kernels of the tree carried to q and v
"""
