/** The keys of all texts: of the pages themselves, and of each module with texts of its own. */

/** The English texts, which have all keys. */
type Files = [
  typeof import('./messages/en.json'),
  typeof import('./app/account/messages/en.json'),
  typeof import('./app/alerts/messages/en.json'),
  typeof import('./app/channels/messages/en.json'),
  typeof import('./app/compare/messages/en.json'),
  typeof import('./app/connect/messages/en.json'),
  typeof import('./app/data/messages/en.json'),
  typeof import('./app/edit-access/messages/en.json'),
  typeof import('./app/events/messages/en.json'),
  typeof import('./app/forms/messages/en.json'),
  typeof import('./app/guest/messages/en.json'),
  typeof import('./app/import/messages/en.json'),
  typeof import('./app/letter/messages/en.json'),
  typeof import('./app/map/messages/en.json'),
  typeof import('./app/measures/messages/en.json'),
  typeof import('./app/people/messages/en.json'),
  typeof import('./app/photos/messages/en.json'),
  typeof import('./app/reminders/messages/en.json'),
  typeof import('./app/report/messages/en.json'),
  typeof import('./app/shared/messages/en.json'),
  typeof import('./app/shell/messages/en.json'),
  typeof import('./app/streams/messages/en.json'),
  typeof import('./app/table/messages/en.json'),
  typeof import('./app/timeline/messages/en.json'),
  typeof import('./app/today/messages/en.json'),
  typeof import('./operator/breach/messages/en.json'),
  typeof import('./operator/messages/en.json'),
  typeof import('./operator/settings/messages/en.json'),
  typeof import('./sign-in/closing/messages/en.json'),
  typeof import('./sign-in/identities/messages/en.json'),
  typeof import('./sign-in/letter-off/messages/en.json'),
  typeof import('./sign-in/messages/en.json'),
  typeof import('./sign-in/passkeys/messages/en.json'),
  typeof import('./sign-in/refused/messages/en.json'),
  typeof import('./sign-in/setup/messages/en.json'),
  typeof import('./sign-in/verify-email/messages/en.json')
][number]
type KeysOf<Texts> = Texts extends unknown ? keyof Texts : never

/** Keys of texts; of those with plural forms, one for each form. */
export type TextKey = KeysOf<Files>
