/** Apps as listed by the operator, and as presented by the platform. (docs/spec/registration.md#apps) */
import { Type, type Static } from 'typebox'
import { ClientSettings } from './oauth.js'
import { closed, maxNameLength, Name } from './scalars.js'

const maxLinkLength = 2048

const Text = Type.Optional(Type.String({ maxLength: maxNameLength }))
/** Pages use these as links and images. */
const Link = Type.Optional(Type.String({ maxLength: maxLinkLength, pattern: '^https?://' }))

const details = {
  id: Type.String({ minLength: 6, maxLength: 99 }),
  displayName: Text,
  description: Type.Optional(Type.String({ maxLength: 10_000 })),
  category: Text,
  iconURL: Link,
  appURL: Link,
  settingsPageURL: Link,
  /** Allowed return URLs, including all URLs below them. Without the list, any return URL is allowed. */
  returnURLs: Type.Optional(
    Type.Array(Type.String({ maxLength: maxLinkLength, pattern: '^[A-Za-z][A-Za-z0-9+.-]*://[^\\s?#@]+$' }))
  ),
  active: Type.Optional(Type.Boolean()),
  onboarding: Type.Optional(Type.Boolean()),
  support: Type.Optional(Type.Array(Name))
}

/** The public information about an app. */
export const App = Type.Object(details, closed)
export type App = Static<typeof App>

/** The operator's settings of an app. */
export const AppSettings = Type.Object({ ...details, oauth: Type.Optional(ClientSettings) }, closed)
export type AppSettings = Static<typeof AppSettings>
