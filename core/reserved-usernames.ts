/** Words that are no user names: the service's own paths and hosts, and what visitors take for the operator. */

/** Sorted; names of fewer than five characters are invalid anyway. */
export const reservedUsernames: readonly string[] = `
access accesses account accounts activate activation active activity addon address admin administrate
administration administrator administrators admins advertise advertising affiliate affiliates agent
alert alerts alias aliases analytics android anonymous answer api-docs apidocs app-auth appinfo
application applications archive archives article assets attachment attachments audit audits
auth-request authenticate authentication author authorisation authorise authority authorization
authorize autoconfig autodiscover avatar backup backups badge banner batch billing board broadcasthost
business cache calendar call-batch callback callbatch campaign cancel careers catalog certificate
change-password change-username changelog changes check check-app check-email check-username checkout
claim clean-up-cache client clients comment comments commercial community company compare compliance
config configuration confirm confirmation connect consent console contact contact-us contacts contract
contribute control cookie cookies copyright cores corporate council create create-user creator custom
customer customers daemon dashboard database debug default delete deleted deploy deployment desktop
devel developer developers development device devices diagnostic dictionary directory disabled discover
discovery discuss discussion document documentation documents domain domains donate download downloads
draft drafts dummy editor email email-check emails emergency employee enable endpoint engine enquiry
enterprise error errors event event-types events everybody everyone example examples explore export
extension facility false favicon favicon-ico features feedback feeds files firewall flatjson follow
followed-slices followedslices follower followers following forbidden forgot forgot-password
forgotpassword forms forum forums founder friend friends fulfil gateway general get-access-info
getaccessinfo global government grant grants graph graphql group groups guest guests guide guides
headquarters health health-check healthcheck healthz helpcenter helpdesk helper high-frequency history
homepage hospital hosting hostings hostmaster hosts howto httpd https human icons identity image images
import impressum inbox index index-html indice information insecure insert inspect install instance
integration intern internal intranet invitation invitations invite invites invoice iphone is-free isatap
issue issues javascript jsonrpc kerberos knowledge knowledgebase language languages launch leader legal
library licence license links lists livez local localdomain localhost log-in log-out login logins logout
lost-password mailbox mailer mailer-daemon maintainer maintenance manage management manager manifest
marketing master media medical member members message messages messenger metadata metric metrics migrate
migration minister mirror mobile moderator module monitor monitoring myaccount myself names namespace
network never newest newsletter no-reply nobody noreply not-found notfound notification notifications
notify oauth oauth2 oembed office official offline onboarding online open-api openapi openid operator
operators order orders organisation organization origin other owner owners pages panel partner partners
passkey passwd password password-reset passwords patient patients payment payments permission
permissions person personal phone photo photos phpmyadmin platform plugin plugins policies policy portal
portfolio postmaster premium press preview previews pricing privacy privacy-policy private privileged
product production products profile profiles project projects promo proxy public publicity purchase
query question questions queue quota random readiness ready readyz recent record records recover
recovery redirect region regions register register-html registered registrar registration registrations
registry release releases relocated remote remove renew reply report reporting reports request requests
require reserved reset reset-password resetpassword resource resources response restore retrieve review
reviews revoke robot robots robots-txt route router routes rules sales sample sandbox schema schemas
script scripts search secret secrets secure security select series server server-info server-status
servers service service-info serviceinfo services session sessions setting settings setup share shared
shared-secrets sign-in sign-out sign-up signin signinhub signout signup singlesignon sitemap sites slice
slices socket socket-io socketio software source staff staging standard start startup static static-web
statistics stats status statuspage storage store stores stream streams style stylesheet stylesheets
subdomain submit subscribe subscription subscriptions success suggest superuser support survey suspended
swagger sysadmin sysadministrator system system-boot systemboot systems tablet tasks teams telnet
template templates terms terms-of-service tester testing tests theme themes ticket tickets token tokens
tools topic topics trademark training translate translations trash trashed trending trends trial trust
trusted tutorial undefined unfollow unknown unsubscribe update updates upgrade upload uploads usage
usenet user-info userinfo username username-check usernames users utility validate validation vendor
verification verify version versions video videos volunteer warning webapp webauthn webdav webhook
webhooks webmail webmaster webpage website websites websocket well-known who-am-i whoami whois widget
widgets worker workers workshop writer www-data xmlrpc your-name your-username yourname yourself
yourusername zones
`
  .trim()
  .split(/\s+/)
