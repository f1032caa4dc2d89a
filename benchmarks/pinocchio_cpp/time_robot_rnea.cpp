// Inverse dynamics by Pinocchio's rnea (robot_timing.hpp).
#include <pinocchio/algorithm/rnea.hpp>

#include "robot_timing.hpp"

int main(int argc, char ** argv)
{
  return timed(argc, argv, [](Course & c) {
    c.time(
      [&](std::size_t i) { return pinocchio::rnea(c.model, c.data, c.q[i], c.v[i], c.a[i])[0]; },
      [&](Results & results) { results.vector(c.data.tau); });
  });
}
