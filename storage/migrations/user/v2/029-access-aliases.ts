/** Finds the aliases of accesses, which the platform's index of unique values reflects, without reading all accesses. */

export const accessAliases = `
CREATE UNIQUE INDEX access_alias ON access (json_extract(body, '$.alias'))
  WHERE deleted IS NULL AND json_extract(body, '$.alias') IS NOT NULL;
`
