// Mass matrix by Pinocchio's crba (robot_timing.hpp).
#include <pinocchio/algorithm/crba.hpp>

#include "robot_timing.hpp"

int main(int argc, char ** argv)
{
  return timed(argc, argv, [](Course & c) {
    c.time(
      [&](std::size_t i) { return pinocchio::crba(c.model, c.data, c.q[i])(0, 0); },
      [&](Results & results) { results.symmetric(c.data.M); });
  });
}
