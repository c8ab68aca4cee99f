/** What callers ask of common kinds of businesses, and the topics of their documents. */
export const englishTopics = `
speak english, another language, don't speak, translate, interpreter : language, interpreter, translation
in person, come in, face to face, swing by, stop by, call in : in person, branch, visit, walk-in
online, on the website, on my phone, on the app, without calling : online, website, app, portal
have to be there, need to be there, be at home, wait in, stay home : attendance, present, home, appointment, access
let someone in, let you in, nobody's home : access, key, neighbour
get hold of, couldn't get through, engaged, on hold, nobody answers : contact, telephone lines, opening hours
text me, remind me, reminder : reminder, text message, notification
get in touch, let you know, tell you : notify, inform, contact, notification
proof, prove, show you : proof, evidence, documents, eligibility
sign, signature, scribble : signature, sign, form
fill in, fill out, form, application : form, application, apply
turned down, rejected, refused, said no, declined : refused, rejected, appeal, declined
fight it, argue, contest, disagree, not fair, unfair : appeal, dispute, objection, review
fine, fined, penalty, ticket on my car, parking ticket : penalty, fine, charge notice, appeal
lost my job, given the sack, sacked, fired, out of work, redundancy : unemployment, employment ends, redundancy, change of income
less money, earn less, wages cut, income dropped : income, change of circumstances, reduction
split the bill, separately, each pay, go halves : separate bills, split
tip, service charge, gratuity : service charge, gratuity
price match, found it cheaper : price match, price promise
price gone up, went up, put up the price, more than last : price increase, tariff, change of price
hidden, extra, on top, any extras, surprise : additional charges, supplement, surcharge, fees
student discount, military, nhs, key worker : discount, concession, eligibility
family ticket, two adults, kids free, half price : family, child rate, concession, under
bring my own, own food, packed lunch, sandwiches : food and drink, bring, own
guide dog, service dog : assistance dog, guide dog
stay with the dog, pet friendly, take my dog, with my dog : dogs, pets, pet-friendly, animals
twin, double, two beds, share, share a room : double, twin, beds, occupancy
floor, upstairs, ground floor, lift : floor, lift, ground floor
safe, passport and money, valuables in : safe, valuables
minibar, fridge in : minibar, refrigerator
cleaned, make up the room, change the sheets, fresh towels : housekeeping, linen, cleaning, towels
key card, locked out of my room, room key : key card, reception, replacement
wake me, wake up, alarm : wake-up call
noisy room, next room, party next : noise, quiet hours, night
let myself in, get in after midnight, door locked, night time arrival : night entrance, key safe, late check-in, code
airport run, get to the airport, to the station : airport transfer, shuttle, taxi
tourist tax, city tax : tourist tax, city tax
deposit back, hold on my card, blocked on my card : deposit, pre-authorisation, release
left my charger, left my watch, left something in the room : lost property, left items, forwarding
someone else's name, change the name, spelled wrong, misspelt : name change, correction, booking
add someone, one more person, extra person, one more, one less, fewer : number of guests, amend, additional, final numbers
swap seats, move seats, better seat : seat, change, upgrade
missed my flight, missed the plane, missed my train, missed the boat, missed it : missed departure, rebook, next available
connection, transfer flight, next flight : connecting flight, connection
wheelchair at the airport, walk to the gate : assistance, reduced mobility
surfboard, golf clubs, skis, bike on the plane, musical instrument : sports equipment, oversized, special baggage
too heavy, overweight, extra bag, another bag : excess baggage, overweight, additional bag
breast milk, baby food, formula : infant, liquids, baby food
knife, scissors, lighter, battery, power bank : prohibited items, restricted, batteries
fly pregnant, fly with a baby, newborn fly : pregnancy, infants, fit to fly
meal on board, food on the plane : in-flight meals, catering
cough, sneeze, runny nose, sniffles : cold, respiratory, symptoms
rash, spots, itchy, itching : rash, skin, dermatology
dizzy, faint, chest, can't breathe, short of breath : emergency, urgent, chest pain
sick note, off work, note for work, fit note : sick note, fit note, medical certificate
see a specialist, specialist, referred, second opinion : referral, specialist, consultant
same doctor, usual doctor, lady doctor, woman doctor : preferred doctor, continuity, female doctor
see my records, my file, notes : medical records, access, data
register, sign on with, take me on, taking on : registration, new patients
change doctor, leave the practice : deregister, transfer, change of practice
my child's, for my son, for my daughter, under sixteen : children, parental consent, minors
smear, screening, mammogram, check for cancer : screening, cervical, breast
travel jabs, going to africa, malaria : travel vaccinations, malaria
stop smoking, lose weight : smoking cessation, weight management
side effects, feel weird on, reaction : side effects, adverse reaction
missed a dose, forgot to take, forgot my pill, take two : missed dose, dose
cheaper version, own brand : generic
come loose, fell out, crown, cap came off, bridge : crown, filling, recement, loose
knocked out, broke a tooth, broken tooth : dental emergency, trauma, tooth
gums, bleeding gums : periodontal, gums
scared of the dentist, afraid, nervous, terrified, phobia : anxious patients, sedation
numb, needle, put me under : anaesthetic, sedation
clean my teeth, scale and polish, hygienist : hygienist, scale and polish, cleaning
false teeth, dentures, implant : dentures, implants
retainer, invisalign : aligners, retainer
wrong shade, too dark, too light, orange, hate my hair, not what i wanted, came out : correction, adjust, redo, dissatisfied, complaint
patch test, allergic to dye, burns my scalp : patch test, allergy, 48 hours
extensions, long hair, longer hair : extensions
wavy, curly, straighten my hair, frizzy : perm, smoothing, keratin, straightening
bride, bridesmaid, hitched, my wedding hair : bridal, wedding, trial
kids cut, toddler's first haircut : children's cut
beard, shave : beard, shave
personal trainer, one to one, pt : personal training
induction, show me how, how the machines work : induction, introduction, instructor
freeze my membership, hold my membership : freeze, suspension
switch gym, other branch, different branch, another club : other locations, multi-site, transfer
guest pass, bring a mate to the gym : guest pass, day pass
off peak, quieter, not so busy, daytime only : off-peak
crowded, packed : capacity, busy
towel, shower, showers : towels, showers
learn to swim, swimming lessons : swimming lessons
strained, pulled a muscle, heart condition : medical, health questionnaire
not cooling, no cold air, blowing warm : air conditioning, regas, refrigerant
warning light, light on the dashboard, engine light : warning light, diagnostic
strange noise, squeak, grinding, rattling, knocking : noise, diagnostic, brakes
brakes : brakes
oil : oil change
courtesy car, loan car, car while, something to drive, get about : courtesy car, replacement vehicle
winter tyres, snow tyres, winter wheels : winter tyres, seasonal, tyre storage
wheel alignment, pulls to the left : alignment
battery flat, flat battery, clicks, jump start : battery, jump start, roadside
wrong fuel, petrol in a diesel, put diesel in : misfuelling
keys in the car, locked my keys : lockout, keys locked inside
collect my car, pick up the car, car ready : collection, ready, delivery
sell my car, trade in : part exchange, valuation
how do i pay you, bank details, where do i send : bank transfer, account details, payment methods
payslip, p45, p60 : payslip, employment
pin blocked, three times, wrong pin : PIN, blocked, unblock
card swallowed, machine ate, atm ate : ATM, retained card
card declined, won't go through, payment failed : declined, payment failed, authorisation
cancel a payment, stop a payment, wrong person, sent it to the wrong : recall, incorrect payment, stop payment
joint account, add my wife, share an account : joint account
kid's account, pocket money : children's account, junior
close my account, shut my account : account closure, close
statement, statements : statement
use my card abroad, going abroad, holiday money, euros, dollars : foreign currency, abroad, travel money, foreign transaction
save for, put money by, nest egg : savings
credit score, turned down for a loan : credit check, credit score, eligibility
house burned, fire, burst pipe at home, flooded house, storm damage : home insurance, claim, fire, flood, escape of water
bike stolen, phone stolen : theft, contents, claim
ill on holiday, hospital abroad, doctor abroad : travel insurance, medical expenses, assistance
existing condition, diabetic, heart problem, pre existing : pre-existing conditions, medical declaration
renewal, went up this year, auto renew : renewal, premium, automatic renewal
prove i'm insured, certificate of insurance : certificate of insurance, policy documents
move the policy, new address insurance : change of address, policy
beneficiary, who gets the money : beneficiary
no power, power's off, lights flicker : power cut, outage, supply
switch supplier, change supplier, leave you for : switching, supplier
smart meter : smart meter
solar : solar, feed-in
move in, moving in, get the power on, get connected : moving in, connection, new supply
moving out bill, final bill, last bill : final bill, moving out, closing account
damp, mould, mold : damp, mould, ventilation
paint the walls, hang pictures, drill : alterations, permission, decoration
flatmate, move in with me, sublet, lodger, airbnb : subletting, additional occupant, permission
keep a pet in the flat : pets, permission
spare key, copy of the key, new key, fob : spare key, duplicate, fob
inspection, come in my flat, landlord come : inspection, access, notice
rent late, behind on rent, rent up, raise the rent : rent arrears, rent increase
garden, who mows : grounds maintenance, garden
lightbulb, bulb : light bulb, replacement
skip, rubble, garden waste, clippings : garden waste, skip, construction waste
missed bin, didn't take my bin, didn't empty, bin not emptied : missed collection
new bin, bigger bin, broken bin : container, replacement bin
fly tipping, dumped rubbish, abandoned car : fly-tipping, abandoned vehicle
stray dog, dog mess, dog poo : stray dogs, dog fouling
noise at night, neighbour's dog barking, barking : noise complaint, environmental health
register to vote, vote by post, not here on election day : electoral register, postal vote
marriage certificate copy, birth certificate copy, copy certificate : certificate, copy, register
school place, get into school, which school : admissions, school place, catchment
free lunch, free school meals : free school meals
bus pass, free travel : bus pass, concessionary travel
blue badge, disabled parking : blue badge, disabled parking
bins at christmas : collection, bank holidays
late for school, off school, not coming to school : absence, attendance
settle in, first day, crying : settling-in
potty, nappies : nappies, toilet training
pick up by gran, someone else picking up : authorised collection, password
holiday club, after school, before school : after-school, breakfast club, holiday club
sick at school, head lice, nits, chicken pox : illness, exclusion, infectious, head lice
uniform : uniform
trip, residential : school trip
retake, failed, resit : resit, retake
change course, switch course, too hard, over my head, too easy : change of course, level, transfer, class change
drop out, quit uni, leave the course : withdrawal, withdraw
loan, bursary, scholarship : scholarship, bursary, grant
halls, somewhere to live, student flat : residence, accommodation
download the app, app won't, app crashes : app, compatibility, reinstall
works with, compatible, plug into, connect to : integration, compatible, API
browser, which browser, old computer : browser, system requirements
hear me, can't hear, mic, sound, no sound, breaking up : microphone, audio, sound
screen, share my screen, black screen : screen, display
undo, deleted by accident, accidentally deleted, bring it back : restore, recover, trash, deleted
sso, single sign on, log in with google : single sign-on
who can see, hide it, permissions, private : permissions, roles, access, visibility
too many emails, notifications, turn off alerts : notification settings, notifications
limit reached, too big, file size, upload : limits, file size, upload
gdpr, where is my data : data protection, hosting, GDPR
charged after trial, trial ended, forgot to cancel : trial, automatic renewal, refund
yearly, annual, pay yearly : annual billing, yearly
change card, new card, update my card : payment method, update, billing
charity, nonprofit, school discount : nonprofit, education, discount
kept private, anonymous : confidentiality, anonymous
signed for, leave it outside, safe place, porch, shed : safe place, signature, delivery instructions
can't find the parcel, says delivered, delivered but : marked as delivered, missing parcel, investigation
collect it myself, pick it up, click and collect, collect in store : click and collect, collection, store pickup
two coming, ordered twice, clicked twice, by accident, by mistake : cancel order, amend order, duplicate, quantity
change my order, add to my order, forgot to add : amend order, change order
gift message, don't show the price, she mustn't see, surprise her : gift, delivery note, price, message
size guide, what size, measure : size guide, measurements
come back in, when will you have, restock, next batch : back in stock, restock, availability
made to order, custom, engrave, monogram : personalised, bespoke, engraving
try it on, fitting : fitting, try on
wear again, second hand, used, refurbished : refurbished, used, pre-owned
assemble it, carry it up, upstairs delivery, carry it down : assembly, room of choice, two-man delivery, kerbside
wrong colour, different colour, other colour : colour, exchange, incorrect item
wholesale, bulk, big order, for my shop : wholesale, bulk order, trade
customs, import, duty : customs, import duty
allergic to something, what's in it, ingredients : ingredients, allergens
food poisoning, made me ill, hair in my : food safety, complaint, hygiene
window table, booth, by the window, sit outside : seating, terrace, window
kids menu, children eat : children's menu
corked, own cake, bring a cake : corkage, cake, cakeage
all you can eat, set menu, tasting : set menu, buffet
kitchen close, last orders, still serving, serve food till : last orders, kitchen, hours
queue to get in, need to book : reservation, walk-ins
happy hour : happy hour
live music : live music
order online, delivery to my door, do you deliver : delivery, online order
lost child, lost sight, can't find my son, wandered off : lost children, meeting point, separated
nasty fall, fell over, got hurt, hurt himself, twisted ankle : injury, first aid, injured, casualty
never skied, never done it, total beginner, teach me, show me, show her, show him : beginners, lessons, instruction, tuition
gear, kit, kitted out, equipment : equipment, rental, hire
helmet : helmet
every weekend, come often, all year, regular, regulars : annual membership, season pass, annual pass
feed, feeding, carrots : feeding, animals
use her card, lend, someone else use, share my pass : transferable, personal, misuse
boat trip, sail, rough, choppy, gale, windy : sailing, weather, cancelled
register a firm, starting a firm, my business address : registered office, business address
letters that come, post for me, forward : mail handling, forwarding
new employer, prove my degree, finished uni : certificate, transcript, verification
`;
