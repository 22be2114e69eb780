/** Consent and messages between accounts: capabilities, relationships, and what is still to be delivered. (docs/spec/consent.md) */
export const cmc = `
CREATE TABLE cmc_capability (
  id TEXT PRIMARY KEY,
  access TEXT NOT NULL UNIQUE,         -- id of the access whose token is the capability
  request TEXT NOT NULL,               -- id of the event that asked for it
  offer TEXT NOT NULL,                 -- the offer, an event as JSON
  removal REAL NOT NULL                -- when it is removed, in seconds
) WITHOUT ROWID;

CREATE TABLE cmc_answer (
  event TEXT PRIMARY KEY,              -- id of the event that accepted an offer
  capability TEXT NOT NULL,
  endpoint TEXT NOT NULL,              -- digest of the endpoint that came with it
  access TEXT NOT NULL                 -- id of the access created for the peer
) WITHOUT ROWID;
CREATE INDEX cmc_answer_capability ON cmc_answer (capability, endpoint);

CREATE TABLE cmc_relationship (
  access TEXT PRIMARY KEY,             -- id of the access that the peer holds
  number INTEGER NOT NULL,             -- rises with each relationship
  scope TEXT NOT NULL,
  slug TEXT NOT NULL,
  checked REAL,                        -- when the peer was last asked whether it still holds the access
  refused REAL                         -- when the peer first answered that our access has ended
) WITHOUT ROWID;
CREATE INDEX cmc_relationship_peer ON cmc_relationship (slug, scope);

CREATE TABLE cmc_outbox (
  number INTEGER PRIMARY KEY,
  relationship TEXT NOT NULL,          -- deliveries of one relationship are made in order
  created REAL NOT NULL,               -- seconds, as all times here
  attempts INTEGER NOT NULL,
  next REAL NOT NULL,                  -- time of the next attempt
  body TEXT NOT NULL                   -- JSON, see core/cmc/outbox.ts
);
CREATE INDEX cmc_outbox_relationship ON cmc_outbox (relationship, number);

CREATE TABLE cmc_secret (
  event TEXT PRIMARY KEY,
  body TEXT NOT NULL                   -- JSON: the members of the content that only some callers see
) WITHOUT ROWID;
`
