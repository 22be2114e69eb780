/** Ids of the methods whose calls can be repeated without further effect. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.
export const repeatable =
  /^(?:\w+\.)?(?:get|update)\w*$|^(?:account\.export|authRequest\.poll|events\.export|events\.sample|registration\.app|registration\.apps|registration\.cores|auth\.emailCheck|registration\.hostings|registration\.uid|auth\.usernameCheck|registration\.username|service\.info|hfs\.add|hfs\.addBatch|measures\.days|measures\.around|measures\.compare|measures\.facts|measures\.sample|measures\.week|streams\.facts|system\.checkPlatformIntegrity|reminders\.days)$/
