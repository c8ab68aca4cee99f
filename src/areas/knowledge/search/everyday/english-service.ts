/** Money, time, bookings, shops, deliveries, telephones, computers and the home. */
export const englishService = `
how much, what does it cost, cost, price, pricey, charge me, set me back, damage, fee : fee, price, charge, cost, rate
expensive, too much, rip off, steep, cost a bomb, cost a fortune : price, charge, surcharge, rate
free, for nothing, without paying, on the house, gratis, not have to pay : free of charge, complimentary, no charge, included, waived
cheap, cheaper, cheapest, deal, money off, knock off, bargain : discount, reduced, concession, offer, voucher, promotion
pay, paying, settle, cough up, fork out : payment, pay, settle, invoice, due
card, plastic, contactless, tap, apple pay, google pay : credit card, debit card, contactless, payment methods
cash, coins : cash
direct debit, automatically, taken out, standing order : direct debit, bank account, automatic payment
bit by bit, in bits, spread, instalments, installments, monthly, pay later, over time : instalments, payment plan, finance, monthly
skint, broke, can't afford, cannot afford, can't pay, short of money, struggling, hard up, can't cover, laid off, lost my job, redundant, unemployed : financial hardship, difficulty, payment plan, arrears, deferral, extension
late paying, missed a payment, forgot to pay, overdue, behind : overdue, late payment, reminder, arrears, late fee
charged twice, double charged, overcharged, wrong amount, took too much, billed me : duplicate, incorrect, overpayment, refund, dispute
receipt, bill, proof, slip : receipt, invoice, proof of purchase
expenses, claim back, claim it : invoice, VAT, business, receipt
tax, taxman : tax, HMRC, VAT
money back, get my money, refund, reimburse, cash back, pay me back, give me back : refund, reimbursement, refunded, compensation
lose everything, lose my money, still bill, still charge, still have to pay : cancellation fee, refundable, non-refundable, charged, forfeited
call off, can't make it, can't come, cannot come, cannot make it, not coming, won't make it, pull out, back out, scrap, cancel, don't want it any more, something came up, can't go, can't fly : cancel, cancellation, cancelled, terms
no show, didn't turn up, don't turn up, don't show up : no-show, missed appointment, charge
quit, get out of, get rid of, pack it in, done with : cancel, terminate, termination, notice, unsubscribe, close
move, push back, another day, different day, later date, put off, postpone, bring forward, swap the day, shift, rearrange, change the time, other time : change, reschedule, rebook, postpone, amend, alter
longer, extend, hang on to, keep it, more time, extra time, a bit longer : extend, extension, renew, renewal
book, slot, spot, fit me in, squeeze me in, see someone, get in, free on, availability, reserve : booking, reservation, appointment, availability, reserve
walk in, just turn up, just show up, drop in, without booking, pop in, on the off chance : walk-in, without appointment, first come, drop-in
full, waiting list, queue, busy, quiet : waiting list, waiting time, fully booked, capacity, busy
late, running late, stuck, traffic, delayed, behind schedule, minutes late, hold up, overslept : delay, late arrival, delayed, grace period, late
early, ahead of time, sooner, before time : early, in advance, prior
how early, how soon, how far ahead, latest, by when, deadline, cut off, last minute : deadline, in advance, notice, prior, minutes before
what time, till when, how late : hours, from, until, times, daily
open, opening, still open, closed, shut, shuts, close : opening hours, hours, open, closed
weekend, sunday, saturday, bank holiday, christmas, easter, new year, holidays : weekends, public holidays, bank holidays, Saturday, Sunday, closed
middle of the night, out of hours, after hours, evening, emergency : 24 hours, out of hours, emergency, evening, night
how long, how many days, how quick, quick, fast, quicker, hurry, asap, straight away, right now, urgent : duration, working days, turnaround, express, same day, takes, within, priority
when will it, turn up, when do i get, get here, arrive : arrival, delivery, within, working days, dispatched
find you, get there, how do i find, directions, where are you : address, location, directions, situated
parking, leave my car, leave the car, drive there, come by car, spot for my car : parking, car park, spaces, permit
bike, bicycle, cycle, push bike : bicycle, cycle, bike storage
bus, tube, public transport, station : bus, railway station, public transport, stop
pick us up, pick me up, lift, ride, collect us, get from the airport : shuttle, transfer, pick-up, taxi, collection
kid, kids, child, boy, girl, son, daughter, little one, little ones, lad, my boy, my girl, nipper, youngster, grandchild, grandkids : children, child, family, under, minors, junior
baby, toddler, newborn, infant, bump, pram, buggy, stroller, pushchair : infant, baby, pram, high chair, changing facilities
teenager, teen, under 18, old enough, how old, age : age, minimum age, under 18, minors, guardian
gran, grandma, nan, nana, granny, grandad, grandpa, elderly, old folk, oap, pensioner, retired, mum and dad : seniors, over 65, pensioners, elderly, concession
wife, husband, partner, other half, missus, hubby, boyfriend, girlfriend, spouse : partner, spouse, additional, household, guest
mate, mates, pal, someone with me, plus one, bring someone, visitor : guest, visitor, companion, referral
student, uni, college, students : student, students, concession
wheelchair, can't walk, walk far, disabled, crutches, steps, stairs, mobility, bad legs, bad hip : accessible, step-free, reduced mobility, wheelchair, lift, ramp, assistance
deaf, hard of hearing, blind, can't see : hearing loop, visual, braille, sign language, assistance
give me a hand, assist : assistance, support, help
broken, not working, doesn't work, isn't working, stopped working, dead, packed up, on the blink, bust, knackered, won't turn on, won't start, faulty, playing up, acting up, conked out, dodgy, stopped : fault, faulty, defective, repair, breakdown, malfunction
smashed, cracked, shattered, dropped, broke, chipped, ripped, torn, snapped : damage, damaged, breakage, accidental damage, cracked, repair
fix, mend, sort out, put right, patch up : repair, maintenance, rectify, engineer
someone come, come out, come round, send someone, look at it, have a look, take a look : engineer, visit, technician, appointment, call-out, inspection
swap, trade, another one, different one, bigger, smaller, wrong size, doesn't fit, too small, too big : exchange, replacement, size, return
send back, give back, take back, bring back, return, changed my mind, don't like, don't want, not happy with it, unwanted : return, returns, unwanted, refund, original condition
opened, used it, worn, tags, box, wrapping, chucked : unused, original packaging, unopened, condition
guarantee, still covered, covered, warranty : warranty, guarantee, cover, covered
wrong, mistake, mixed up, not what i ordered, not mine, messed up, error, incorrect, typo : incorrect, error, wrong item, correction, amend
missing, bits missing, not in the box, incomplete : missing, parts, incomplete, shortage
hasn't arrived, hasn't come, hasn't turned up, not here, hasn't shown up, where is my, where's my, still waiting, waiting for, never came, never got : delivery, delayed, missing, tracking, not received, status
track, got to, whereabouts, nearly here, on its way, how far : tracking, track, status, notification
package, packet, parcel, stuff, order : parcel, order, delivery, consignment, item
deliver, drop off, bring it, bring to, send it, ship, mail, courier : delivery, shipping, postage, dispatch, courier
not in, wasn't in, was out, nobody home, not home, at work : absence, missed delivery, nobody, redelivery, neighbour, depot
different address, somewhere else, send it to : delivery address, redirect, change of address
abroad, overseas, another country, other countries, foreign : abroad, international, overseas
sold out, in stock, have any left, run out, back in, got any : stock, availability, out of stock, back in stock
order, ordered, buy, purchase, get one : order, purchase, buy, checkout
points, rewards, loyalty, club card : loyalty, points, rewards, membership
gift, present, birthday present, wrap, gift card : gift, voucher, gift wrapping, gift card
code, coupon, promo : promotional code, voucher, discount code
old one, take away, haul away, get rid, throw away, chuck, dump : disposal, removal, recycling, collection
put together, assemble, plug in, fit it, put in, set up, install, mount : installation, assembly, fitted, set-up, installed
lost, left behind, forgot, forgotten, misplaced, can't find, left my, mislaid, think i left, dropped my : lost property, lost, found, loss, replacement
stolen, robbed, nicked, pinched, burgled, mugged, thief : theft, stolen, police, block
new one, another copy, replace : replacement, duplicate, reissue
log in, login, sign in, locked out, let me in, get in, account, username : sign in, log in, password, account, access
password, passcode, pin, forgot my, reset : password, PIN, reset, recovery
code, six numbers, text code, authenticator, verification : two-factor, verification code, authentication, authenticator
hacked, not me, didn't buy, fraud, scam, scammed, dodgy email, dodgy text, suspicious, phishing : fraud, phishing, unauthorised, security, suspicious, report
email, inbox, spam, junk, never got the email, didn't get the email, confirmation : email, confirmation, junk folder, spam
unsubscribe, stop emailing, stop sending, junk mail, newsletters : newsletter, unsubscribe, marketing, preferences
delete, wipe, erase, remove my, forget me : deletion, delete, erase, close account, personal data
privacy, my data, personal info, who sees : privacy, personal data, data protection
wifi, wi-fi, wireless, internet, broadband, online, net : Wi-Fi, broadband, internet, network, router
slow, crawling, cuts out, drops, dropping, buffering, laggy, patchy, signal, bars : speed, connection, coverage, signal, outage, fault
offline, outage, is it just me, are you down, isn't loading, won't load, crash, crashes : outage, incident, status, maintenance, unavailable
phone, mobile, cell, handset, cellphone : mobile phone, telephone, handset, device
new phone, changed phone, different phone, switched phones : handset, device, transfer, replacing
keep my number, same number, same digits, switch to you, come over to you, move to you, switch, join you : number transfer, porting, PAC, switch, switching
data, gigs, used up, allowance : data, allowance, add-on
roaming, use my phone in, on holiday, when i travel : roaming, abroad, international
nuisance calls, spam calls, keep ringing, unknown numbers : block, nuisance calls, barring
tv, telly, channels : television, TV, channels
computer, laptop, pc, mac : computer, laptop, device
spreadsheet, excel, get everything out, download : export, CSV, download
lost my files, recover, undo, restore : backup, restore, recovery
users, seats, team, colleagues, coworkers, add someone, invite : users, seats, licences, team members, invite
upgrade, bigger plan, better plan, downgrade, smaller plan, change plan, tier : upgrade, downgrade, plan, subscription, tier
printer, print, scan, copy : print, printing, copies
electric, electricity, power, lights, lights out, fuse, trip, blackout : electricity, power, supply, power cut, consumer unit, outage
gas, smell, stink, rotten eggs, whiff : gas, leak, smell, emergency
heating, radiator, radiators, boiler, freezing, cold house, no hot water, hot water : heating, boiler, hot water
water, tap, taps, leak, leaking, drip, dripping, flood, flooded, burst, pipe : water, leak, plumbing, pipe, supply
blocked, clogged, drain, sink, toilet, loo : blockage, drain, plumbing, toilet
meter, reading, numbers from, guessed : meter reading, estimated, reading
moved, moving, moving house, new place, new house, just moved, new flat : move, relocation, change of address, removal, new address
flat, apartment, place to live, rent, renting, landlord, tenant : tenancy, rent, landlord, property, tenant
deposit, money i put down, upfront : deposit, advance payment
move out, moving out, leave my flat, give notice : end of tenancy, notice, inspection, check-out
holes, marks, paint, decorate, put up shelves : damage, deductions, alterations, wear and tear, decoration
noise, noisy, loud, neighbours, upstairs, next door, party, can't sleep : noise, disturbance, neighbours, complaint
key, keys, locked myself out, locked out of the house : keys, locksmith, duplicate, lost keys
mice, rats, cockroaches, bugs, bed bugs, wasps, ants : pest control, infestation
cleaner, clean, dirty, filthy, messy, stain, spilled, spilt : cleaning, stain, cleaned, housekeeping
wash, laundry, iron, dry clean, suit, shirt, dress : laundry, dry cleaning, garments, ironing
shrunk, ruined, colour ran : damage, compensation, claim
bin, bins, rubbish, trash, garbage, junk, recycling : waste, refuse, collection, recycling, containers
sofa, couch, mattress, old furniture, fridge, washing machine : furniture, bulky waste, appliances
complain, complaint, not happy, unhappy, annoyed, disgusted, rude, terrible, awful, manager, unacceptable : complaint, complaints procedure, feedback, manager, ombudsman
speak to, talk to, real person, human, ring, call, get hold of, contact, reach : contact, telephone, advisor, customer service, helpline
change my name, new name, maiden name, surname : change of name, name, marriage certificate
id, passport, prove who i am, licence, proof of address, paperwork, documents, papers, forms : identification, passport, driving licence, proof of identity, documents, form
bring, take with me, with me, need with me, what do i need : bring, documents, required, present
on behalf, for my mum, for my dad, for someone else, instead of me : authorised, on behalf, power of attorney, third party, consent
join, sign up, become a member, register, enrol, get started, open an account, set up an account, new here : registration, membership, enrolment, apply, join, sign up
try, try out, give it a go, taster, test, before i commit, before we commit, have a go : trial, taster session, free trial, introductory
pause, freeze, break, put on hold, for a while, take a break, skip, miss a week : freeze, suspend, pause, suspension, hold
beginner, never done, first time, new to : beginners, introductory, first visit
too young, too old, mind if, is it ok : permitted, allowed, permission, prohibited, not permitted
outside, outdoors, rain, raining, wet, weather, storm, snow : outdoor, weather, bad weather, cancelled
take photos, photo, photos, pictures, film, camera, selfie : photography, photographs, filming
smoke, smoking, cigarette, fag, vape, vaping : smoking, non-smoking, vaping
toilets, bathroom, restroom, loos, washroom : toilets, facilities
lockers, changing room, leave my bag, keep my stuff, valuables : lockers, changing rooms, valuables, storage, cloakroom
charge my phone, plug, socket, charger, cable : charging, socket, charger, adapter
cold, air con, stuffy : air conditioning, heating, temperature
group, lots of us, of us, big group, party of, people : group, parties, groups, guests
school trip, teacher : school groups, educational, teachers
job, jobs, hiring, work for you, vacancy, vacancies : vacancies, careers, recruitment, apply
run out, expire, still valid, still good, use by, out of date : expiry, expire, valid, validity
`;
