/** Settings of passkeys, within `auth`. */
import { flag, formText } from './kinds.js'

export const passkeySettings = {
  passkeys: flag('Let users sign in with passkeys', true),
  passkeyDomain: formText(
    'host',
    'Domain of passkeys: the host of the public URL or a parent domain, such as example.com for data.example.com. Passkeys of a previous domain stop working. If empty, the host of the public URL'
  )
}
