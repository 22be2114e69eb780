/** The groups in which operations are listed, in the order in which people get to know them. */

interface Group {
  readonly name: string
  readonly description: string
  /** First parts of the ids of its methods. A method without one, such as `callBatch`, is of `general`. */
  readonly of: readonly string[]
}

const groups: readonly Group[] = [
  { name: 'Events', description: 'Time-stamped data, with files', of: ['events'] },
  { name: 'Streams', description: 'The tree in which events are kept', of: ['streams'] },
  { name: 'Series', description: 'Many points under one event', of: ['hfs'] },
  { name: 'Previews', description: 'Small versions of pictures', of: ['previews'] },
  {
    name: 'Batches and the current access',
    description: 'Several calls at once, and who calls',
    of: ['general']
  },
  { name: 'Accesses', description: 'Tokens with permissions on streams', of: ['accesses'] },
  { name: 'Requests of apps', description: 'How an app asks a person for an access', of: ['authRequest'] },
  { name: 'OAuth', description: 'Accesses for apps by the protocol that many know', of: ['oauth'] },
  { name: 'Webhooks', description: 'URLs that are told of changes', of: ['webhooks'] },
  { name: 'Audit', description: 'Records of past calls', of: ['audit'] },
  {
    name: 'Signing in',
    description: 'Passwords, passkeys, second factors, identities of providers and sessions',
    of: ['auth', 'mfa', 'passkeys', 'identities', 'sessions']
  },
  { name: 'Account', description: 'The account, its password and its address', of: ['account', 'users'] },
  { name: 'Profile', description: 'Sets of keys and values of apps and people', of: ['profile'] },
  { name: 'Imports', description: 'Data from elsewhere, brought in and taken out', of: ['imports'] },
  { name: 'Followed slices', description: 'Shared parts of other people’s data', of: ['followedSlices'] },
  { name: 'The service', description: 'What clients have to know of it', of: ['service'] },
  { name: 'Registration', description: 'Where accounts are, and which names are free', of: ['registration'] },
  { name: 'Operation', description: 'For the operator, by the admin key', of: ['system', 'admin'] }
]

const further: Group = {
  name: 'Further addresses',
  description: 'Other addresses of the operations above, which clients know',
  of: []
}

const groupOf = new Map(groups.flatMap(({ name, of }) => of.map(part => [part, name] as const)))

/** Returns the group of a method: `Events` for `events.get`. Throws if its first part is in none. */
export function tagOf(method: string): string {
  const part = method.includes('.') ? method.slice(0, method.indexOf('.')) : 'general'
  const name = groupOf.get(part)
  if (name === undefined) throw new Error(`${method} is in no group of the documentation`)
  return name
}

/** The group of routes whose method has another one. */
export const furtherTag = further.name

/** All groups, as the document lists them. */
export function tags(): { readonly name: string; readonly description: string }[] {
  return [...groups, further].map(({ name, description }) => ({ name, description }))
}
