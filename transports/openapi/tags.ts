/** The tags that group methods by topic. */

const descriptions = new Map([
  ['accesses', 'Tokens with permissions on streams'],
  ['account', 'The account and its password'],
  ['admin', 'Users and invitations, for the operator'],
  ['audit', 'Records of past calls'],
  ['auth', 'Registration, signing in and out'],
  ['authRequest', 'How apps ask for an access'],
  ['events', 'Time-stamped data, with files'],
  ['followedSlices', 'Shared parts of other users’ data'],
  ['general', 'The current access, and batch calls'],
  ['imports', 'Data from elsewhere, brought in and taken out'],
  ['mfa', 'Second factors'],
  ['previews', 'Previews of pictures'],
  ['profile', 'Sets of keys and values'],
  ['registration', 'Where accounts are hosted, and which names are available'],
  ['series', 'Points of high-frequency series'],
  ['service', 'Information about the service'],
  ['sessions', 'Where the user is signed in'],
  ['streams', 'The tree in which events are kept'],
  ['system', 'Accounts, for the operator'],
  ['users', 'Whole accounts'],
  ['webhooks', 'URLs that are notified of changes']
])

/** Returns the tag of a method: `events` for `events.get`, `general` for `getAccessInfo`. */
export function tagOf(method: string): string {
  return method.includes('.') ? method.split('.', 1)[0]! : 'general'
}

/** Returns a tag as the document lists it. */
export function tag(name: string): { readonly name: string; readonly description: string } {
  return { name, description: descriptions.get(name) ?? name }
}
