/** Finds accounts whose removal has begun, without reading all of them every hour. */

export const accountsBeingRemoved = `
CREATE INDEX account_deleting ON account (id) WHERE state = 'deleting';
`
