/** Health, care, schools, animals, authorities, banks, insurance, travel, food, leisure and cars. */
export const englishLife = `
doctor, gp, quack, see a doctor, physician, surgery : doctor, practice, consultation, appointment, GP, clinic
ill, sick, poorly, under the weather, feel rough, unwell, not well, came down with : illness, unwell, symptoms, sickness
fever, temperature, flu, cold, cough, bug : fever, influenza, symptoms, infection
hurts, hurt, pain, painful, killing me, sore, ache, aching, throbbing, agony : pain, emergency, ache, urgent
throw up, throwing up, threw up, puke, runs, tummy, sick last night : vomiting, diarrhoea, stomach, illness
jab, jabs, shot, shots, injection : vaccination, vaccine, immunisation, injection
pills, tablets, meds, medicine, drugs, nearly out, prescription, more pills, inhaler : medication, prescription, repeat prescription, medicines, pharmacy
chemist, drugstore : pharmacy
blood test, bloods, tests, results, come back yet, scan, x-ray : test results, laboratory, results
op, operation, surgery, under the knife, knocked out : operation, surgery, procedure, anaesthesia, pre-operative
hospital, ward, in hospital, see him, see her, see mum, visit : hospital, ward, visiting hours, visitors
ambulance, accident, bleeding, broken arm, cut myself : emergency, first aid, injury, accident and emergency
pregnant, expecting, having a baby, due date, bump : pregnancy, maternity, antenatal, midwife
had a baby, new baby, baby was born, gave birth, little girl, little boy : birth, registration, birth certificate, parental
period, contraception : contraception, gynaecology
therapist, depressed, stressed, anxious, mental : mental health, counselling, therapy
tooth, teeth, toothache, dentist, filling, crown fell, chipped : dental, dentist, tooth, filling, emergency
braces, straighten, crooked : orthodontic, braces, aligners
whiten, whiter : whitening
glasses, specs, eyes, contacts, eye test : spectacles, contact lenses, eye examination, optician
hearing, ears : hearing aid, hearing test
shoulder, knee, physio, sprained, twisted, done my knee, injured, injury : physiotherapy, injury, medical grounds, rehabilitation
carer, look after, can't manage, can't cope, care for mum, wash and dress : care, carers, home care, assessment, support
care home, old people's home : residential care, nursing home
nursery, daycare, childcare, kindergarten, creche : nursery, childcare, day care
pick up my, pick him up, pick her up, collect him, collect her : collection, collected, late collection
school, lessons, classes, course, tutor, teacher, coach : lessons, tuition, course, classes, instructor
missed a lesson, miss a class, make up : missed lesson, make-up, reschedule, absence
exam, grades, marks, doing well, how's he doing, how she's doing : exam, progress, report, assessment, results
fees, tuition : tuition fees, term, fees
homework, study, desk, quiet place : study room, homework, learning
certificate, degree, transcript, proof i passed : certificate, transcript, diploma
allergic, allergy, nuts, gluten, dairy, lactose, milk, coeliac, celiac, can't eat, can't have, intolerant : allergies, allergens, dietary requirements, special diet, gluten-free
dog, dogs, puppy, pup, pooch, doggy, mutt : dogs, pets, animals, puppy
cat, cats, kitten, kittens, moggy : cats, pets, animals
pet, pets, animal, rabbit, hamster : pets, animals
vet, vets : veterinary, veterinarian, animal clinic
kittens, stop my cat, stop my dog, snip, spay, fix my dog : neutering, spaying, castration
kennel, kennels, dog sitter, look after the dog, somewhere for the dog, while we're away : boarding, kennels, pet sitting
groom, clip, dog's hair : grooming
swallowed, ate something, ate chocolate : poisoning, ingestion, emergency
funeral, bury, cremate, ashes : funeral, burial, cremation
died, passed away, dead, death, late husband, late wife, lost my dad, lost my mum : death, bereavement, deceased, death certificate, probate, estate
inheritance, inherit : probate, estate, inheritance
marry, married, getting married, tie the knot, wedding, engaged, propose, big day : wedding, marriage, ceremony, registration
divorce, split up : divorce, separation
council, town hall, city hall : council, municipal, local authority
move here, moved here, just moved here : registration, proof of residence, residents
benefits, handout, grant, get any money, entitled, allowance : benefit, allowance, grant, eligibility, support
council tax : council tax
vote, voting, election : vote, electoral, polling station
passport, travel document : passport
pothole, street light, streetlight, lamp, road, pavement, graffiti : road, street lighting, highway, report, repair
playground : park, playground
planning, extension, shed, loft : planning permission, building, construction
library, books, borrow, take out : library, loan, borrow, items
not finished my book, finish my book, still reading : renew, renewal, loan
books back late, late back, brought back late : overdue, charges, fines
bank, account, current account, savings : account, bank, savings
send money, wire, transfer money, money abroad : transfer, payment, international transfer
cash machine, take money out, withdraw, get cash, hole in the wall : withdrawal, ATM, cash machine
below zero, in the red, overdrawn, minus : overdraft
borrow money, loan, lend me, credit : loan, credit, borrowing
mortgage, home loan, house loan, pay off, clear : mortgage, repayment, early repayment, overpayment
interest : interest rate, interest
invest, shares, pension : investment, pension
limit, how much can i, maximum, most : limit, maximum, up to
insurance, insured, policy, cover me : insurance, policy, cover, premium
claim, make a claim, pay out, payout : claim, claims, settlement, compensation
crash, crashed, bump, prang, pranged, drove into, hit me, ran into, rear ended, scraped, scratched, dented, dinged : accident, collision, damage, claim, excess, bodywork
whose fault, admit, other driver : liability, third party
no claims, haven't crashed, never crashed, clean record, safe driver : no-claims, discount, bonus
car, motor, wheels, vehicle : vehicle, car
new car, changed car, different car : vehicle, change of vehicle
mot, yearly check, check up, tune up : inspection, service, MOT, maintenance
tyre, tire, tyres, puncture, flat tyre : tyres, puncture, wheel
breakdown, broke down, won't start, tow, stranded, side of the road : breakdown, roadside assistance, recovery, tow
petrol, gas, fuel, fill up, top up, diesel, tank : fuel, refuelling, tank
hire, rent a car, rental : hire, rental, hire vehicle
drive it too, share the driving, behind the wheel, someone else drive : additional driver, drivers
electric car, charge my car, ev : charging, electric vehicle
plane, flight, fly, flying, airport : flight, departure, airport, boarding, passengers
check in, checkin, bag drop, gate : check-in, boarding, departure
suitcase, bag, bags, luggage, baggage, backpack : luggage, baggage, hand luggage, bags
cabin, carry on, take on the plane, take on board, shampoo, liquids : cabin baggage, hand luggage, liquids
lost my bag, bag didn't arrive, suitcase didn't : delayed baggage, lost luggage, tracing
on his own, on her own, by herself, by himself, alone : unaccompanied, alone, solo
sit together, window, aisle, legroom, seat, seats : seat, seat selection, reserved
hours late, stuck at the airport, sat at the airport, get anything, cancelled on me : disruption, compensation, delayed, cancellation
ticket, tickets, pass, season ticket : ticket, tickets, pass, admission
ferry, boat, ship, sea : ferry, vessel, sailing
seasick, travel sick : motion sickness
visa, border : visa, entry requirements
hotel, room, stay, staying, overnight : room, accommodation, overnight, guests, stay
check out, late check out, lie in, stay longer, leave later : check-out, departure, late check-out
arrive early, land at, get there early, before my room, dump our cases, leave our bags : early check-in, luggage storage, reception
arrive late, get in late, late at night, midnight : late arrival, night porter, reception, key
towel, towels, hairdryer, toothbrush, pillow, slippers, kettle : amenities, toiletries, towels, on request
cot, crib, extra bed : cot, extra bed
quiet room, bigger room, upgrade my room : room category, upgrade
spa, sauna, massage, hot tub : spa, sauna, treatment, wellness
breakfast, eat in the morning, morning : breakfast
lunch, midday : lunch
dinner, supper, evening meal : dinner, evening meal
food, eat, hungry, meal, grub, bite, menu, nosh : menu, meal, food, kitchen, restaurant, dining
drink, drinks, booze, beer, wine, alcohol, pint : alcohol, beverages, bar, wine
bring our own, own bottle, own food, own drink : corkage, bring, own
vegan, vegetarian, veggie, meat, plant based, halal, kosher : vegetarian, vegan, dietary, meat
takeaway, take out, to go, doggy bag, leftovers : takeaway, collection, packaging
table, table for : table, reservation
birthday, party, celebrate, bash, anniversary, hen, stag : event, private, celebration, party, function
private, whole place, hire the place, to ourselves : private hire, exclusive, function room
cake, flowers, decorations, balloons : cake, decorations
dress up, what to wear, jeans, trainers, dress code : dress code, clothing, attire
hair, haircut, trim, barber, hairdresser : hair, cut, salon, stylist
dye, blonde, roots, highlights, grey, colour : colour, tint, patch test
same person, usual girl, usual guy, same stylist : stylist, request
nails, manicure, brows, lashes, wax : manicure, nails, treatment
gym, work out, workout, exercise : gym, fitness, membership, training
swim, swimming, pool, swimsuit, cap, goggles, head to swim : pool, swimming, swimming cap
yoga, spin, zumba, pilates : classes, studio, timetable
film, movie, cinema, flick : film, screening, cinema
gig, concert, theatre : performance, concert, event
late to the show, missed the start, already started : latecomers, admittance
museum, gallery, exhibition, look round : museum, exhibition, admission
guide, show us round, explain : guided tour, guide
ride, rides, tall enough, height : height restriction, attractions
camp, camping, tent, barbecue, bbq : camping, pitch, barbecue
ski, skiing, slopes, snowboard : ski, lift pass, slopes
veg, vegetables, fruit, box : vegetables, produce, box
plants, garden, grass, hedge, tree : garden, plants, landscaping
milk, bottles : milk, bottles
newspaper, paper, magazine : newspaper, delivery, subscription
post office, letter, stamp, letters : post, mail, letter, postage
forward my mail, post redirected : redirection, forwarding
move house, removal men, removals, van, shift a : removal, quotation, belongings, van
boxes, pack, packing, bubble wrap : packing materials, boxes, packing
roughly, ballpark, estimate, quote : quotation, estimate, quote
storage, keep my things, somewhere to keep : storage
builder, plumber, electrician, handyman : tradesperson, engineer, contractor, technician
safe, dangerous, is it safe, hazard : safety, hazard, risk
wages, payday, salary : salary, payroll, wages
day off, holiday, time off, annual leave : leave, absence, holiday
desk, meeting room, office space, work from : desk, meeting room, co-working, workspace
`;
