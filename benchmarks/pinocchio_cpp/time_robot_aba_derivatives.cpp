// Derivatives of forward dynamics by Pinocchio's computeABADerivatives (robot_timing.hpp).
#include <pinocchio/algorithm/aba-derivatives.hpp>

#include "robot_timing.hpp"

int main(int argc, char ** argv)
{
  return timed(argc, argv, [](Course & c) {
    c.time(
      [&](std::size_t i) {
        pinocchio::computeABADerivatives(c.model, c.data, c.q[i], c.v[i], c.tau[i]);
        return c.data.ddq_dq(0, 0);
      },
      [&](Results & results) {
        results.matrix(c.data.ddq_dq);
        results.matrix(c.data.ddq_dv);
        results.symmetric(c.data.Minv);
      });
  });
}
