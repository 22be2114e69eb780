/** Which offers are to be removed, without reading them. (docs/spec/consent.md#offers) */
export const capabilityRemoval = `
CREATE INDEX cmc_capability_removal ON cmc_capability (removal, access);
`
