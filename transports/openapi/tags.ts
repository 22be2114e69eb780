/** The groups in which methods are shown, by what they are about. */

const descriptions = new Map([
  ['accesses', 'Tokens with permissions on streams'],
  ['account', 'The account and its password'],
  ['admin', 'Users and invitations, for the operator'],
  ['audit', 'What calls were made'],
  ['auth', 'Registration, signing in and out'],
  ['authRequest', 'How apps ask for an access'],
  ['events', 'Time-stamped data, with files'],
  ['followedSlices', 'Parts of others’ data that are followed'],
  ['general', 'The access in use, and many calls at once'],
  ['mfa', 'Second factors'],
  ['previews', 'Previews of pictures'],
  ['profile', 'Sets of keys and values'],
  ['registration', 'Where accounts are, and what is free'],
  ['series', 'Points of high-frequency series'],
  ['service', 'What the service says of itself'],
  ['sessions', 'Where the user is signed in'],
  ['streams', 'The tree in which events are kept'],
  ['system', 'Accounts, for the operator'],
  ['users', 'Whole accounts'],
  ['webhooks', 'URLs that are told of changes']
])

/** The group of a method: `events.get` belongs to events, `getAccessInfo` to what is general. */
export function tagOf(method: string): string {
  return method.includes('.') ? method.split('.', 1)[0]! : 'general'
}

/** A group as the document lists it. */
export function tag(name: string): { readonly name: string; readonly description: string } {
  return { name, description: descriptions.get(name) ?? name }
}
