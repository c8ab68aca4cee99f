import { repeat } from '../../campaigns/repeat/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(repeat);
