export const notesScopes = { 'notes:read': 'Read notes.', 'notes:write': 'Write notes.' } as const;
