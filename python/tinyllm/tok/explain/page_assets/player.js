// The player of a view: buttons, a slider, and the sentence that says what a step shows.

const ICONS = {
  first: "M2 2h2v12H2zM14 2v12L5 8z",
  back: "M12 2v12L3 8z",
  play: "M4 2l10 6-10 6z",
  pause: "M3 2h4v12H3zM9 2h4v12H9z",
  forward: "M4 2v12l9-6z",
  last: "M12 2h2v12h-2zM2 2v12l9-6z",
};

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

class Player {
  // show(frame, i) draws a frame and returns the sentence that says what it shows.
  constructor(root, name, show) {
    this.show = show;
    this.frames = [];
    this.at = 0;
    this.timer = null;
    const button = (what, label, act) =>
      element("button", { type: "button", "aria-label": label, title: label, class: what, onclick: act }, icon(what));
    this.buttons = {
      first: button("first", "First step", () => this.go(0)),
      back: button("back", "Step back", () => this.go(this.at - 1)),
      play: button("play", "Play", () => this.toggle()),
      forward: button("forward", "Step forward", () => this.go(this.at + 1)),
      last: button("last", "Last step", () => this.go(this.frames.length - 1)),
    };
    this.slider = element("input", { type: "range", min: 0, "aria-label": name, oninput: () => this.go(+this.slider.value) });
    this.output = element("output", { "aria-hidden": "true" });
    this.say = element("p", { class: "say", role: "status", "aria-live": "polite" });
    root.append(element("div", { class: "keys" }, ...Object.values(this.buttons), this.slider, this.output), this.say);
  }

  load(frames, at = 0) {
    this.stop();
    this.frames = frames;
    this.slider.max = frames.length - 1;
    this.go(at);
  }

  go(to, playing = false) {
    if (!playing) this.stop();
    this.at = Math.max(0, Math.min(to, this.frames.length - 1));
    const sentence = this.show(this.frames[this.at], this.at);
    this.say.textContent = sentence;
    this.slider.value = this.at;
    this.slider.setAttribute("aria-valuetext", `step ${this.at + 1} of ${this.frames.length}. ${sentence}`);
    this.output.textContent = `${this.at + 1} / ${this.frames.length}`;
    this.buttons.first.disabled = this.buttons.back.disabled = this.at === 0;
    this.buttons.forward.disabled = this.buttons.last.disabled = this.at === this.frames.length - 1;
  }

  toggle() {
    if (this.timer) return this.stop();
    if (this.at === this.frames.length - 1) this.go(0);
    this.face("pause", "Pause");
    this.timer = setInterval(() => {
      this.go(this.at + 1, true);
      if (this.at === this.frames.length - 1) this.stop();
    }, 1100);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.face("play", "Play");
  }

  face(what, label) {
    this.buttons.play.replaceChildren(icon(what));
    this.buttons.play.setAttribute("aria-label", label);
    this.buttons.play.title = label;
  }
}
