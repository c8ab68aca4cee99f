import { clock } from '../../campaigns/clock/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(clock);
