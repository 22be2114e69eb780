/** An app as the platform presents it. (docs/spec/registration.md#apps) */
import { Type, type Static } from 'typebox'
import { closed } from './scalars.js'

const Text = Type.Optional(Type.String())
/** Pages use these as links and images. */
const Link = Type.Optional(Type.String({ pattern: '^https?://' }))

export const App = Type.Object(
  {
    id: Type.String({ minLength: 6, maxLength: 99 }),
    displayName: Text,
    description: Text,
    category: Text,
    iconURL: Link,
    appURL: Link,
    settingsPageURL: Link,
    /** Allowed return URLs, including all URLs below them. Without the list, any are allowed. */
    returnURLs: Type.Optional(Type.Array(Type.String({ pattern: '^[A-Za-z][A-Za-z0-9+.-]*://[^\\s?#@]+$' }))),
    active: Type.Optional(Type.Boolean()),
    onboarding: Type.Optional(Type.Boolean()),
    support: Type.Optional(Type.Array(Type.String()))
  },
  closed
)
export type App = Static<typeof App>
