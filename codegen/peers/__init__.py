"""Other engines' answers about the same mechanism, in kanegen's coordinates.

A peer that reads the model file does so itself: from the file to the answer it shares nothing with kanegen.  Otherwise the
records of the mechanism are converted one by one, and what kanegen derives from them is not used.
"""

from kanegen.codegen.peers.opening import ENGINES, open_peer
from kanegen.codegen.peers.tree_peer import State, TreePeer

__all__ = ["ENGINES", "State", "TreePeer", "open_peer"]
