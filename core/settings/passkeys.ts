/** Settings of passkeys, within `auth`. */
import { flag, formText } from './kinds.js'

export const passkeySettings = {
  passkeys: flag('Let users sign in with passkeys', true),
  passkeyDomain: formText(
    'host',
    'Domain that passkeys belong to: the host of the public URL, or a domain above it, such as example.com for data.example.com; passkeys of another domain stop working; empty: the host of the public URL'
  )
}
