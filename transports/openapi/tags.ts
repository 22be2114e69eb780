/** The groups in which operations are listed, in the order in which people get to know them. */

interface Group {
  readonly name: string
  readonly description: string
  /** First parts of the ids of its methods. A method without one, such as `callBatch`, is of `general`. */
  readonly of: readonly string[]
}

const groups: readonly Group[] = [
  { name: 'Events', description: 'Time-stamped data, with files', of: ['events'] },
  { name: 'Streams', description: 'The tree that events are organised in', of: ['streams'] },
  { name: 'Series', description: 'Data points of one event', of: ['hfs'] },
  { name: 'Previews', description: 'Small versions of images', of: ['previews'] },
  {
    name: 'Batches and the current access',
    description: 'Batches, and information about the caller',
    of: ['general']
  },
  { name: 'Accesses', description: 'Tokens with permissions on streams', of: ['accesses'] },
  { name: 'Requests of apps', description: 'How an app requests access from a user', of: ['authRequest'] },
  { name: 'OAuth', description: 'Accesses for apps by OAuth 2.0 and OpenID Connect', of: ['oauth'] },
  { name: 'Webhooks', description: 'URLs that are notified of changes', of: ['webhooks'] },
  { name: 'Audit', description: 'Records of past calls', of: ['audit'] },
  {
    name: 'Signing in',
    description: 'Passwords, passkeys, two-factor authentication, single sign-on and sessions',
    of: ['auth', 'mfa', 'passkeys', 'identities', 'sessions']
  },
  { name: 'Account', description: 'The account, its password and its address', of: ['account', 'users'] },
  { name: 'Profile', description: 'Key-value sets of apps and users', of: ['profile'] },
  { name: 'Imports', description: 'Importing data from files', of: ['imports'] },
  { name: 'Followed slices', description: 'Data shared by other users', of: ['followedSlices'] },
  { name: 'The service', description: 'Information that clients need about the service', of: ['service'] },
  { name: 'Registration', description: 'Hosting of accounts, and available usernames', of: ['registration'] },
  { name: 'Operation', description: 'Administration, with the admin key', of: ['system', 'admin'] }
]

const further: Group = {
  name: 'Further addresses',
  description: 'Alternative paths of the operations above, for existing clients',
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
