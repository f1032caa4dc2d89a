// Forward dynamics by Pinocchio's aba in its local (forward_dynamics) or world convention (forward_dynamics_world).
#include <pinocchio/algorithm/aba.hpp>

#include "robot_timing.hpp"

int main(int argc, char ** argv)
{
  return timed(argc, argv, [](Course & c) {
    const auto convention =
      c.kernel == "forward_dynamics_world" ? pinocchio::Convention::WORLD : pinocchio::Convention::LOCAL;
    c.time(
      [&](std::size_t i) { return pinocchio::aba(c.model, c.data, c.q[i], c.v[i], c.tau[i], convention)[0]; },
      [&](Results & results) { results.vector(c.data.ddq); });
  });
}
