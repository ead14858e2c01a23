/** How much harm a call of an operation can do, as its connector says; from little to much. */
export const riskTiers = ["low", "medium", "high"] as const;
export type RiskTier = (typeof riskTiers)[number];

export function isWithinRisk(risk: RiskTier, most: RiskTier): boolean {
  return riskTiers.indexOf(risk) <= riskTiers.indexOf(most);
}
