"""What the commands do: reports, scenarios, checks of compiled kernels.  These may import the runtime."""
