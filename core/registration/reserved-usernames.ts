/** Words reserved as user names: the service's own paths and hosts, and words that would suggest the operator. */

/** Sorted. Some are not valid user names anyway: the list is also compared with the paths of the service. */
export const reservedUsernames: readonly string[] = `
.well-known access access-info access.html accesses accessinfo account accounts activate activation
active activity add addon address admin administrate administration administrator administrators admins
advertise advertising affiliate affiliates agent alert alerts alias aliases analytics android anon
anonymous answer api api-docs apidoc apidocs app app-auth appinfo application applications apps archive
archives article assets atom attachment attachments audit audits auth auth-request authenticate
authentication author authorisation authorise authority authorization authorize autoconfig autodiscover
autologin avatar backup backups badge bank banner batch beta billing blog board bot bots broadcasthost
bug bugs business cache calendar call-batch callback callbatch campaign cancel careers cart catalog cdn
certificate change-email change-password change-password.html change-username changelog changes chat
check check-app check-config check-email check-username checkout claim clean-up clean-up-cache client
clients cmc cmc-accept cmc-scope-update code comment comments commercial community company compare
compliance config configuration confirm confirmation connect consent console contact contact-us contacts
contract contribute control cookie cookies copyright core cores corporate council create create-user
creator css custom customer customers daemon dashboard data database debug default delete deleted demo
deploy deployment desktop dev devel developer developers development device devices diagnostic
dictionary directory disabled discover discovery discuss discussion dns docs document documentation
documents domain domains donate download downloads dpo draft drafts drop dummy edit editor email
email-check emails emergency employee enable endpoint engine enquiry enterprise error errors event
event-type event-types events eventtypes everybody everyone example examples explore export extension
facility false faq faqs favicon favicon-ico favicon.ico features feed feedback feeds file files firewall
flatjson follow followed-slice followed-slices followedslices follower followers following forbidden
forgot forgot-password forgotpassword form forms forum forums founder free friend friends ftp fulfil
gateway general get-access-info getaccessinfo gift global government grant grants graph graphql group
groups guest guests guide guides headquarters health health-check healthcheck healthz help helpcenter
helpdesk helper hfs high-frequency history home homepage hospital host hosting hostings hostmaster hosts
howto html http httpd https human icon icons identity idp image images imap import impressum inbox index
index-html index.html indice info information init insecure insert inspect install instance integration
intern internal intranet invitation invitations invite invites invoice ipad iphone is-free isatap issue
issues item javascript job jobs join json jsonrpc kerberos keys knowledge knowledgebase lab labs
language languages launch law ldap lead leader legal library licence license link links list lists live
livez local localdomain localhost log log-in log-out login logins logo logout logs lost-password mail
mailbox mailer mailer-daemon maintainer maintenance manage management manager manifest marketing master
media medical member members message messages messenger meta metadata metric metrics mfa migrate
migration minister mirror mobile moderator module monitor monitoring mx1 mx2 myaccount myself name names
namespace network never new newest news newsletter no-reply nobody noc node none noreply not-found
notfound notification notifications notify null oauth oauth2 oembed office official offline onboarding
online open open-api openapi openapi-json openid operator operators order orders organisation
organization orgs origin other owner owners page pages panel partner partners passkey passwd password
password-reset passwords patient patients pay payment payments people permission permissions person
personal phone photo photos php phpmyadmin ping platform plugin plugins policies policy poll pop3 portal
portfolio post postmaster premium press preview previews pricing privacy privacy-policy private
privileged product production products profile profiles project projects promo proxy public publicity
purchase push query question questions queue quota random rate readiness readtoken ready readyz recent
record records recover recovery redirect ref reg region regions register register-html register.html
registered registrar registration registrations registry release releases relocated remote remove renew
reply report reporting reports request requests require reserved reset reset-password
reset-password.html resetpassword resource resources response rest restore retrieve review reviews
revoke robot robots robots-txt robots.txt root route router routes rss rules sale sales sample sandbox
save schema schemas script scripts sdk search secret secrets secure security select self send series
server server-info server-status servers service service-info service-infos serviceinfo serviceinfos
services session sessions set setting settings setup share shared shared-secrets shop sign sign-in
sign-out sign-up signin signinhub signinhub.html signout signup singlesignon site sitemap sitemap.xml
sites slice slices smtp socket socket-io socket.io socketio software source spam ssl sso staff staging
standard start startup stat static static-web statistics stats status statuspage stop storage store
stores stream streams style stylesheet stylesheets subdomain submit subscribe subscription subscriptions
success sudo suggest superuser support survey suspended svc swagger swagger-ui sync sysadmin
sysadministrator system system-boot systemboot systems tablet tag tags talk task tasks team teams tech
telnet template templates term terms terms-of-service test tester testing tests theme themes ticket
tickets token tokens tool tools topic topics tour trademark training translate translations trash
trashed trending trends trial true trust trusted tutorial undefined unfollow unknown unsubscribe update
updates upgrade upload uploads usage usenet user user-info userinfo username username-check usernames
users utility uucp validate validation vendor verification verify verify-email version versions video
videos void volunteer warning web webapp webauthn webdav webfinger webhook webhooks webmail webmaster
webpage website websites websocket well-known who-am-i whoami whois widget widgets wiki worker workers
workshop wpad writer www www-data www1 www2 www3 xml xmlrpc xmpp you your your-name your-username
yourname yourself yourusername zone zones
`
  .trim()
  .split(/\s+/)
