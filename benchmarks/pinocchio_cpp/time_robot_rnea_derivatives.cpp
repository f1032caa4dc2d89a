// Derivatives of inverse dynamics by Pinocchio's computeRNEADerivatives (robot_timing.hpp).
#include <pinocchio/algorithm/rnea-derivatives.hpp>

#include "robot_timing.hpp"

int main(int argc, char ** argv)
{
  return timed(argc, argv, [](Course & c) {
    c.time(
      [&](std::size_t i) {
        pinocchio::computeRNEADerivatives(c.model, c.data, c.q[i], c.v[i], c.a[i]);
        return c.data.dtau_dq(0, 0);
      },
      [&](Results & results) {
        results.matrix(c.data.dtau_dq);
        results.matrix(c.data.dtau_dv);
        results.symmetric(c.data.M);
      });
  });
}
