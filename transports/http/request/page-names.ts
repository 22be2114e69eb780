/** Path segments reserved for pages, so that no user can have such a name. */

/** Names of the pages, which are all rendered by one script. `/auth` is an alias of the first page. */
export const pageNames = [
  'access.html',
  'register.html',
  'reset-password.html',
  'change-password.html',
  'confirm-email.html',
  'verify-email.html',
  'letter-off.html',
  'signinhub.html',
  'setup.html'
]
