"""The Stanford Arm of Kane & Levinson (1983): generated C and its extension."""
