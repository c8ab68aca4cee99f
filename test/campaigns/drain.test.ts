import { drain } from '../../campaigns/drain/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(drain);
