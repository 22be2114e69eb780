/** Paths that belong to pages: users have no such names. */

/** What the pages are called; one program draws them all. `/auth` is another name of the first. */
export const pageNames = [
  'access.html',
  'register.html',
  'reset-password.html',
  'change-password.html',
  'confirm-email.html',
  'signinhub.html'
]
