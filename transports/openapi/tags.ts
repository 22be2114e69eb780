/** The groups of operations in the document, in the order in which readers need them. */

interface Group {
  readonly name: string
  readonly description: string
  /** First parts of the ids of its methods; `general` for ids with one part, such as `callBatch`. */
  readonly prefixes: readonly string[]
}

const groups: readonly Group[] = [
  { name: 'Events', description: 'Time-stamped data, with files', prefixes: ['events'] },
  { name: 'Streams', description: 'The tree that events are organised in', prefixes: ['streams'] },
  { name: 'Series', description: 'Data points of one event', prefixes: ['hfs'] },
  { name: 'Measures', description: 'Values of all devices together', prefixes: ['measures'] },
  { name: 'Previews', description: 'Small versions of images', prefixes: ['previews'] },
  {
    name: 'Batches and the current access',
    description: 'Batches, and information about the caller',
    prefixes: ['general']
  },
  { name: 'Accesses', description: 'Tokens with permissions on streams', prefixes: ['accesses'] },
  {
    name: 'Requests of apps',
    description: 'How an app requests access from a user',
    prefixes: ['authRequest']
  },
  { name: 'OAuth', description: 'Accesses for apps by OAuth 2.0 and OpenID Connect', prefixes: ['oauth'] },
  { name: 'Webhooks', description: 'URLs that are notified of changes', prefixes: ['webhooks'] },
  { name: 'Letter', description: 'The weekly letter', prefixes: ['letter'] },
  { name: 'Mirrors', description: 'Copies of what others have shared', prefixes: ['mirrors'] },
  { name: 'Channels', description: 'Where notifications go', prefixes: ['channels'] },
  {
    name: 'Reminders',
    description: 'What is due at certain times, and what was done',
    prefixes: ['reminders']
  },
  { name: 'Forms', description: 'Questionnaires in FHIR, and responses to them', prefixes: ['forms'] },
  { name: 'Rules', description: 'Telling people when something happens', prefixes: ['rules'] },
  { name: 'Audit', description: 'Records of past calls', prefixes: ['audit'] },
  {
    name: 'Signing in',
    description: 'Passwords, passkeys, two-factor authentication, single sign-on and sessions',
    prefixes: ['auth', 'mfa', 'passkeys', 'identities', 'sessions']
  },
  {
    name: 'Account',
    description: 'The account, its password and its address',
    prefixes: ['account', 'users']
  },
  { name: 'Profile', description: 'Key-value sets of apps and users', prefixes: ['profile'] },
  { name: 'Imports', description: 'Importing data from files', prefixes: ['imports'] },
  {
    name: 'Connections',
    description: 'Apps and devices that send data on their own',
    prefixes: ['connections']
  },
  { name: 'Consent', description: 'Offers of other accounts', prefixes: ['cmc'] },
  { name: 'Shared secrets', description: 'Values handed over once', prefixes: ['sharedSecrets'] },
  { name: 'Followed slices', description: 'Data shared by other users', prefixes: ['followedSlices'] },
  {
    name: 'The service',
    description: 'Information that clients need about the service',
    prefixes: ['service']
  },
  {
    name: 'Registration',
    description: 'Hosting of accounts, and available usernames',
    prefixes: ['registration']
  },
  { name: 'Operation', description: 'Administration, with the admin key', prefixes: ['system', 'admin'] }
]

const additionalGroup: Group = {
  name: 'Further addresses',
  description: 'Alternative paths of the operations above, for existing clients',
  prefixes: []
}

const groupNames = new Map(
  groups.flatMap(({ name, prefixes }) => prefixes.map(part => [part, name] as const))
)

/** Returns the group of a method: `Events` for `events.get`. Throws if the method is in no group. */
export function getTag(method: string): string {
  const part = method.includes('.') ? method.slice(0, method.indexOf('.')) : 'general'
  const name = groupNames.get(part)
  if (name === undefined) throw new Error(`${method} is in no group of the documentation`)
  return name
}

/** The group of routes whose method has another route, too. */
export const additionalTag = additionalGroup.name

/** Returns all groups for the document. */
export function listTags(): { readonly name: string; readonly description: string }[] {
  return [...groups, additionalGroup].map(({ name, description }) => ({ name, description }))
}
