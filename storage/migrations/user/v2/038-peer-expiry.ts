/** When the accesses of peers expire, of which an account may have thousands. (docs/spec/consent.md#ends) */
export const peerExpiry = `
CREATE INDEX access_peer_expiry ON access (body ->> 'expires') WHERE deleted IS NULL
  AND body ->> '$.clientData.cmc.role' = 'counterparty' AND body ->> 'expires' IS NOT NULL
  AND body ->> '$.clientData.cmc.expiryTold' IS NULL;
`
