export const auditScopes = { 'audit:read': 'Read the audit trail of the workspace.' } as const;
