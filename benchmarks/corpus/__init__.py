"""Robots that others described: are they read rightly, what do they cost, and does Pinocchio agree?

robots      the model files of installed packages
robot_case  one file, from text to compiled kernels and the comparison
__main__    all of them, each in a process of its own, and the table
"""
