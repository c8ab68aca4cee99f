import { secrets } from '../../campaigns/secrets/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(secrets);
