import { tenants } from '../../campaigns/tenants/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(tenants);
