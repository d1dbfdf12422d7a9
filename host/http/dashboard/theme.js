// Runs before the first paint, so that a chosen theme never flashes; the button is wired in app.js.
(() => {
    let theme = null;
    try {
        theme = localStorage.getItem("jobhost.theme");
    } catch { /* storage may be switched off: the system's theme is used */ }
    if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
})();
