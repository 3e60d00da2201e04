/** Coefficients of the polynomial in x that goes through a function at the Chebyshev points of −halfWidth … halfWidth. */
export function chebyshevPolynomial(of: (x: number) => number, halfWidth: number, degree: number): number[] {
  const points = degree + 1;
  const angles = Array.from({ length: points }, (_, j) => (Math.PI * (j + 0.5)) / points);
  const values = angles.map((angle) => of(halfWidth * Math.cos(angle)));
  const shares = angles.map((_, k) => {
    const sum = values.reduce((total, value, j) => total + value * Math.cos(k * (angles[j] as number)), 0);
    return ((k === 0 ? 1 : 2) / points) * sum;
  });
  const polynomial = new Array<number>(points).fill(0);
  // Tₖ₊₁ = 2 x Tₖ − Tₖ₋₁, each as a list of coefficients.
  let previous = [0, 1];
  let current = [1];
  for (const share of shares) {
    current.forEach((coefficient, power) => {
      polynomial[power] = (polynomial[power] as number) + share * coefficient;
    });
    const doubled = [0, ...current.map((coefficient) => 2 * coefficient)];
    [previous, current] = [
      current,
      doubled.map((coefficient, power) => coefficient - (previous[power] ?? 0)),
    ];
  }
  return polynomial.map((coefficient, power) => coefficient / halfWidth ** power);
}
