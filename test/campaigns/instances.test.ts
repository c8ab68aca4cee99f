import { instances } from '../../campaigns/instances/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(instances);
