/** What the account page loads, in one piece. */
export { Notices } from './notices.js'
export { Passkeys } from './section.js'
