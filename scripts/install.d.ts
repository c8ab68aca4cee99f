export function stopWithParent(): void;
