import { hostile } from '../../campaigns/hostile/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(hostile);
