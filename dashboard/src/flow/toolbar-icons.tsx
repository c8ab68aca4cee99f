/** On the grid of the other icons. Hidden from screen readers: the buttons have names. */
function lines(path: string) {
  return function ToolIcon() {
    return (
      <svg
        width={16}
        height={16}
        viewBox="0 0 20 20"
        fill="none"
        stroke="currentColor"
        strokeWidth={1.7}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
      >
        <path d={path} />
      </svg>
    );
  };
}

export const UndoIcon = lines('M7.5 4 4 7.5 7.5 11M4 7.5h7.5a4.5 4.5 0 0 1 0 9H8');
export const RedoIcon = lines('M12.5 4 16 7.5 12.5 11M16 7.5H8.5a4.5 4.5 0 0 0 0 9H12');
export const FitIcon = lines('M4 7.5V4h3.5M12.5 4H16v3.5M16 12.5V16h-3.5M7.5 16H4v-3.5M8 8h4v4H8z');
export const MinusIcon = lines('M4.5 10h11');
export const TidyIcon = lines('M3.5 8h4.5v4H3.5zM12 3.5h4.5v4H12zM12 12.5h4.5v4H12zM8 10h2V5.5h2M10 10v4.5h2');
