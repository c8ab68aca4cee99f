import { wire } from '../../campaigns/wire/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(wire);
